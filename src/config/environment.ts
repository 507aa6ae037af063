/**
 * The only place that reads `process.env`. Everything else is given what this returns, so a run's environment is one
 * value that a test can make and that nothing changes half way.
 */

export type Environment = Readonly<Record<string, string | undefined>>;

/** A frozen copy of the environment at this moment. */
export const readEnvironment = (): Environment => Object.freeze({ ...process.env });
