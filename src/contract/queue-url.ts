/** A queue's URL as it may be shown: without account, password and the options behind `?`, where ioredis reads passwords too. */

/** `rediss://host:port/0`; `redis://…` for what does not parse. */
export const shownQueueUrl = (url: string): string => {
  if (!URL.canParse(url)) return 'redis://…';
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
};
