/** Cases that do not touch one another, a few at a time, so that a table of child processes ends soon. */

const MOST_AT_ONCE = 4;

/** Results in the order of the cases. The first failure is thrown when the cases begun with it have ended. */
export const atOnce = async <C, R>(
  cases: readonly C[],
  work: (one: C, at: number) => Promise<R>,
): Promise<readonly R[]> => {
  const results: R[] = [];
  for (let from = 0; from < cases.length; from += MOST_AT_ONCE) {
    const group = cases.slice(from, from + MOST_AT_ONCE);
    const settled = await Promise.allSettled(group.map((one, at) => work(one, from + at)));
    for (const one of settled) {
      if (one.status === 'rejected') throw one.reason;
      results.push(one.value);
    }
  }
  return results;
};
