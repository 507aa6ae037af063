/** Where in the page a person is, as the address's fragment: it is never sent to the server, and back and forward work. */

export const PLACES = ['records', 'live', 'plan', 'charts'] as const;
export type Place = (typeof PLACES)[number];

export interface PageRoute {
  readonly place: Place;
  /** The record shown, for `records`. */
  readonly id: string | null;
  /** Filters, as typed. */
  readonly query: Readonly<Record<string, string>>;
}

const isPlace = (word: string): word is Place => PLACES.some((place) => place === word);

/** Anything that is no place of ours leads to the records. */
export const parseRoute = (fragment: string): PageRoute => {
  const [path = '', query = ''] = fragment.replace(/^#?\/?/, '').split('?', 2);
  const [word = '', id = ''] = path.split('/', 2);
  const place = isPlace(word) ? word : 'records';
  return {
    place,
    id: place === 'records' && /^rec-[a-z2-7]{26}$/.test(id) ? id : null,
    query: Object.fromEntries([...new URLSearchParams(query)].filter(([, value]) => value !== '')),
  };
};

/** Members that are empty are left out. */
export const formatRoute = (
  place: Place,
  id: string | null = null,
  query: Readonly<Record<string, string>> = {},
): string => {
  const words = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return `#/${place}${id === null ? '' : `/${id}`}${words === '' ? '' : `?${words}`}`;
};
