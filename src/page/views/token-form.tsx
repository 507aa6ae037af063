/** Asks for the service's token. The page holds nothing until it has it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Mark } from '../parts/top-bar.js';

interface TokenFormWords {
  /** The service said no to the token before. */
  readonly wasRefused: boolean;
  readonly submit: (token: string) => void;
}

export const TokenForm = ({ wasRefused, submit }: TokenFormWords) => {
  const [token, setToken] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <main class="sign-in">
      <form
        class="panel sign-in-panel"
        onSubmit={(event) => {
          event.preventDefault();
          const typed = token.trim();
          if (typed === '') field.current?.focus();
          else submit(typed);
        }}
      >
        <h1 class="sign-in-title">
          <Mark />
          Coldseal
        </h1>
        <p>What leaves this machine, and what was held back.</p>
        <label class="field" for="token">
          <span class="field-name">Token of the service</span>
          <input
            id="token"
            ref={field}
            type="password"
            autoComplete="off"
            spellcheck={false}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
            aria-invalid={wasRefused}
            aria-describedby={wasRefused ? 'token-fault token-hint' : 'token-hint'}
          />
        </label>
        {wasRefused && (
          <p id="token-fault" class="field-fault" role="alert">
            The service refused this token. Each start of the service has its own unless the owner sets one.
          </p>
        )}
        <p id="token-hint" class="quiet">
          <code>coldseal serve</code> names the file that holds it when it starts. It stays in this tab and is forgotten
          with it.
        </p>
        <button type="submit" class="button button-first">
          Open
        </button>
      </form>
    </main>
  );
};
