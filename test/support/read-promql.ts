/** Metric names and labels of a PromQL expression, for a check of what a board and alert rules ask for. */

export interface AskedSeries {
  readonly name: string;
  /** Labels in its braces, with the words they are compared to (`a|b` is two); a word that a board fills in is left out. */
  readonly labels: readonly { readonly label: string; readonly words: readonly string[] }[];
}

export interface ReadPromql {
  readonly series: readonly AskedSeries[];
  /** Labels of every `by (...)` and of every `{{label}}` handed in. */
  readonly grouped: readonly string[];
}

const FUNCTIONS = new Set(
  'sum min max avg count by without increase rate histogram_quantile min_over_time label_values and or unless on ignoring'.split(
    ' ',
  ),
);
const SERIES = /([a-zA-Z_:][\w:]*)\s*(?:\{([^}]*)\})?/g;
const MATCHER = /([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g;

/** Throws where brackets do not pair. */
export const readPromql = (expression: string, legend = ''): ReadPromql => {
  requirePairs(expression);
  const grouped: string[] = [...legend.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map((found) => found[1] ?? '');
  const rest = expression
    .replace(/\bby\s*\(([^)]*)\)/g, (_, labels: string) => {
      grouped.push(...labels.split(',').map((label) => label.trim()));
      return ' ';
    })
    // Ranges, and the label that `label_values` lists.
    .replace(/\[[^\]]*\]/g, ' ')
    .replace(/,\s*(\w+)\)\s*$/, (whole, label: string) => {
      if (!expression.startsWith('label_values')) return whole;
      grouped.push(label);
      return ')';
    });
  const series = [...rest.matchAll(SERIES)].flatMap(([, name = '', braces = '']) =>
    FUNCTIONS.has(name) ? [] : [{ name, labels: labelsIn(braces) }],
  );
  return { series, grouped };
};

const labelsIn = (braces: string): AskedSeries['labels'] =>
  [...braces.matchAll(MATCHER)].map(([, label = '', words = '']) => ({
    label,
    words: words.startsWith('$') ? [] : words.split('|'),
  }));

const requirePairs = (expression: string): void => {
  const open: string[] = [];
  for (const sign of expression.replace(/"[^"]*"/g, '')) {
    const partner = { ')': '(', ']': '[', '}': '{' }[sign];
    if ('([{'.includes(sign)) open.push(sign);
    else if (partner !== undefined && open.pop() !== partner) throw new Error(`brackets do not pair: ${expression}`);
  }
  if (open.length > 0) throw new Error(`brackets do not pair: ${expression}`);
};
