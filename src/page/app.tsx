/** The frame of the page: who is signed in, where the person is, and how it looks. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { whenSignedOut } from './api/client.js';
import { TopBar } from './parts/top-bar.js';
import { type PageRoute, parseRoute } from './route.js';
import { forgetToken, keepToken, keptToken } from './session.js';
import { ChartsView } from './views/charts-view.js';
import { LiveView } from './views/live-view.js';
import { PlanView } from './views/plan-view.js';
import { RecordView } from './views/record-view.js';
import { RecordsView } from './views/records-view.js';
import { TokenForm } from './views/token-form.js';

export const App = () => {
  const [token, setToken] = useState(keptToken());
  const [wasRefused, setWasRefused] = useState(false);
  const route = useRoute();
  useEffect(() => {
    whenSignedOut(() => {
      setWasRefused(true);
      setToken(null);
    });
  }, []);
  if (token === null) {
    return (
      <TokenForm
        wasRefused={wasRefused}
        submit={(typed) => {
          keepToken(typed);
          setWasRefused(false);
          setToken(typed);
        }}
      />
    );
  }
  const leave = () => {
    forgetToken();
    setWasRefused(false);
    setToken(null);
  };
  return <Signed route={route} leave={leave} />;
};

const TITLES = { records: 'Records', live: 'Live runs', plan: 'Plan', charts: 'Charts' } as const;

const Signed = ({ route, leave }: { readonly route: PageRoute; readonly leave: () => void }) => {
  const main = useRef<HTMLElement>(null);
  const at = `${route.place}/${route.id ?? ''}`;
  const shown = useRef(at);
  useEffect(() => {
    document.title = `${route.id ?? TITLES[route.place]} · Coldseal`;
    if (shown.current === at) return;
    shown.current = at;
    // A new view is a new page to somebody who cannot see it: reading starts at its top.
    main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [at, route]);
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <TopBar place={route.place} leave={leave} />
      <main id="main" tabIndex={-1} ref={main}>
        <View route={route} />
      </main>
    </>
  );
};

const View = ({ route }: { readonly route: PageRoute }) => {
  switch (route.place) {
    case 'records':
      return route.id === null ? <RecordsView query={route.query} /> : <RecordView id={route.id} key={route.id} />;
    case 'live':
      return <LiveView />;
    case 'plan':
      return <PlanView />;
    case 'charts':
      return <ChartsView />;
    default:
      return route.place satisfies never;
  }
};

const useRoute = (): PageRoute => {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  const follow = useCallback(() => setRoute(parseRoute(location.hash)), []);
  useEffect(() => {
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [follow]);
  return route;
};
