/**
 * The denylist's one meaning: `vendor/*` or a model id. Letter case does not matter, because a provider may report a
 * model in another case than it was asked for and a list that denies should deny both.
 */

/** The first entry that names the model, or `null`. */
export const deniedBy = (model: string, entries: readonly string[]): string | null => {
  const name = model.toLowerCase();
  return (
    entries.find((entry) => {
      const wanted = entry.toLowerCase();
      return wanted.endsWith('/*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted;
    }) ?? null
  );
};
