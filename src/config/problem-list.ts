/**
 * Every problem of every settings file of one read, refused in one message: `file:line:column: what is wrong`, the form
 * editors and terminals open.
 */
import { ColdsealError } from '../contract/error.js';
import { printable } from '../contract/printable.js';
import type { SettingsDocument } from './read-settings-file.js';
import type { Note, Shape } from './shape.js';

const MOST_SHOWN = 100;

interface PlacedProblem {
  readonly document: SettingsDocument;
  readonly offset: number;
  readonly message: string;
}

export class ProblemList {
  readonly #problems: PlacedProblem[] = [];

  /** Takes over what the JSON reader found. */
  addDocument(document: SettingsDocument): void {
    for (const problem of document.problems) this.#problems.push({ document, ...problem });
  }

  noteIn(document: SettingsDocument): Note {
    return (node, message) => this.#problems.push({ document, offset: node.start, message });
  }

  /** Reads a document by a shape; `null` when it has none to read, could not be read, or a problem was noted. */
  read<T>(document: SettingsDocument | null, shape: Shape<T>): T | null {
    if (document === null) return null;
    this.addDocument(document);
    if (document.root === null) return null;
    if (document.root.kind !== 'object') {
      this.noteIn(document)(document.root, 'the file must hold one JSON object');
      return null;
    }
    return shape.read(document.root, [], this.noteIn(document)) ?? null;
  }

  /** What is wrong, in the order of the text and without its places. */
  messages(): readonly string[] {
    return this.#problems.toSorted((a, b) => a.offset - b.offset).map(({ message }) => printable(message));
  }

  /** Throws `CONFIG_INVALID` when there is any problem. */
  refuse(): void {
    const [first] = this.#problems;
    if (first === undefined) return;
    const lines = this.#lines();
    const head = lines.length === 1 ? '' : `${lines.length} problems in the settings files:\n`;
    const more = lines.length > MOST_SHOWN ? `\nand ${lines.length - MOST_SHOWN} more` : '';
    const place = first.document.placeOf(first.offset);
    throw new ColdsealError('CONFIG_INVALID', `${head}${lines.slice(0, MOST_SHOWN).join('\n')}${more}`, {
      facts: { problems: lines.length, file: first.document.file, line: place.line, column: place.column },
    });
  }

  /** By file in the order they were read, then by place. */
  #lines(): readonly string[] {
    const documents = [...new Set(this.#problems.map((problem) => problem.document))];
    return documents.flatMap((document) =>
      this.#problems
        .filter((problem) => problem.document === document)
        .toSorted((a, b) => a.offset - b.offset)
        .map(({ offset, message }) => {
          const { line, column } = document.placeOf(offset);
          return `${printable(document.file)}:${line}:${column}: ${printable(message)}`;
        }),
    );
  }
}
