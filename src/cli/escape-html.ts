/** Text as it may stand in an HTML page's text and attribute values. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => ENTITIES[found] ?? '');
