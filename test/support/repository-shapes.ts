/** Repositories of several shapes for tests of the whole program, closed together. */
import { type MadeRepository, makeRepository, makeTestFolder, runTestGit, wrapRepository } from './make-repository.js';

export interface RepositoryShapes {
  /** Keeps a repository until `close`. */
  keep(one: MadeRepository): MadeRepository;
  /** Two commits, the second on top of the first. */
  filled(options?: Parameters<typeof makeRepository>[0]): MadeRepository;
  /** `git clone` with these words, over the file transport. */
  cloned(from: MadeRepository, ...words: string[]): MadeRepository;
  close(): void;
}

export const openRepositoryShapes = (): RepositoryShapes => {
  const kept: MadeRepository[] = [];
  const keep = (one: MadeRepository): MadeRepository => {
    kept.push(one);
    return one;
  };
  return {
    keep,
    filled: (options) => {
      const one = keep(makeRepository(options));
      one.commit('first', { 'a.txt': 'a\n' });
      one.commit('second', { 'a.txt': 'b\n' });
      return one;
    },
    cloned: (from, ...words) => {
      const folder = makeTestFolder();
      runTestGit('/', ['clone', '-q', ...words, `file://${from.folder}`, folder]);
      return keep(wrapRepository(folder));
    },
    close: () => {
      for (const one of kept) one.close();
    },
  };
};

/** Merges an orphan branch in, so that the history has two roots; the first one's name and the second's. */
export const addRoot = (one: MadeRepository): readonly [string, string] => {
  const first = one.git(['rev-list', '--max-parents=0', 'HEAD']);
  one.git(['checkout', '-q', '--orphan', 'other']);
  const second = one.commit('another root', { 'b.txt': 'b\n' });
  one.git(['checkout', '-q', 'main']);
  one.git(['merge', '-q', '--allow-unrelated-histories', '--no-edit', 'other']);
  return [first, second];
};
