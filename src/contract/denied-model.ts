/**
 * Denylist entries: a model id, or `vendor/*` for everything of that vendor. Compared in any ASCII letter case, because
 * providers fold it and a denial that a capital letter undoes is none. The same judgement serves the model asked and the
 * model an answer reports.
 */

/** The first entry that names the model, or `null`. */
export function deniedBy(model: string, entries: readonly string[]): string | null {
  const asked = fold(model);
  return entries.find((entry) => names(fold(entry), asked)) ?? null;
}

function names(entry: string, model: string): boolean {
  return entry.endsWith('/*') ? model.startsWith(entry.slice(0, -1)) : entry === model;
}

function fold(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
