/** The next release's tag from the last one and what its records say they change. Nothing is guessed: without a number
 *  in the base tag, or with a record whose impact is not known, there is no next tag. */

const IMPACTS = ['breaking', 'additive', 'fix', 'internal'] as const;
type Impact = (typeof IMPACTS)[number];

const isImpact = (text: string | null): text is Impact => IMPACTS.some((impact) => impact === text);

const VERSION = /^(.*?)(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:[-+].*)?$/;

/** Below 1.0.0 a break raises the second number and all else the third; from there on as semver has it. */
export const nextTag = (baseTag: string, impacts: readonly (string | null)[]): string | null => {
  const found = VERSION.exec(baseTag);
  if (found === null || !impacts.every(isImpact)) return null;
  const [prefix = '', major = 0, minor = 0, patch = 0] = [found[1], ...found.slice(2).map(Number)] as const;
  const strongest = IMPACTS.find((impact) => impacts.includes(impact));
  switch (strongest) {
    case 'breaking':
      return major === 0 ? `${prefix}0.${minor + 1}.0` : `${prefix}${major + 1}.0.0`;
    case 'additive':
      return major === 0 ? `${prefix}0.${minor}.${patch + 1}` : `${prefix}${major}.${minor + 1}.0`;
    case 'fix':
      return `${prefix}${major}.${minor}.${patch + 1}`;
    case 'internal':
    case undefined:
      return null;
    default:
      return strongest satisfies never;
  }
};
