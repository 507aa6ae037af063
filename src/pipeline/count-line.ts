/** The one line on stderr before a remote send. `-q` never hides it. */
import type { SealedBundle } from '../contract/bundle.js';
import type { ProviderSettings } from '../contract/route.js';

export const countLine = (bundle: SealedBundle, provider: ProviderSettings, proxy: string | null): string => {
  const inItems = bundle.blanked.filter(({ item }) => item !== 'system' && item !== 'document');
  const inDocument = bundle.blanked.filter(({ item }) => item === 'document').length;
  const inSystem = bundle.blanked.length - inItems.length - inDocument;
  const items = new Set(inItems.map(({ item }) => item)).size;
  return [
    `coldseal: ${bundle.kind}: sends ${bundle.items.length} items, ${bundle.bytes} bytes to ${provider.name} (${provider.endpoint.host})`,
    `; blanked ${inItems.length} spans in ${items} items`,
    inDocument === 0 ? '' : ` and ${inDocument} in the document around them`,
    inSystem === 0 ? '' : ` and ${inSystem} in the system message`,
    bundle.unscannedAtAssembly === null ? '' : `; ${bundle.unscannedAtAssembly} items unscanned at assembly`,
    bundle.scannedNow === null ? '' : `, ${bundle.scannedNow} scanned now`,
    proxy === null ? '' : `; through the proxy ${proxy}`,
  ].join('');
};
