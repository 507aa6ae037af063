/** Surroundings for runs inside the caller's own process: a throw-away home, the built threads, no line to anybody. */
import { join } from 'node:path';
import { gatherSurroundings, type Surroundings } from '../../src/app/surroundings.js';
import { readEnvironment } from '../../src/config/environment.js';

export interface SurroundingsOfTest {
  readonly folder: string;
  readonly home: string;
  /** The project whose `dist/` and `config/` are used. */
  readonly project: string;
  readonly more?: Partial<Surroundings>;
}

export const appSurroundings = ({ folder, home, project, more = {} }: SurroundingsOfTest): Surroundings => ({
  ...gatherSurroundings({ folder, say: () => undefined, signal: new AbortController().signal }),
  environment: { ...readEnvironment(), HOME: home },
  homeFolder: home,
  builtFolder: join(project, 'dist'),
  configFolder: join(project, 'config'),
  ...more,
});
