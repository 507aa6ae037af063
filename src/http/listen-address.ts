/**
 * Where the service may listen. On this machine and for this user: anybody may say so. For others: only the machine file,
 * with certificate files and the owner's own token file; a word on the command line never opens a port to the network.
 */
import { ColdsealError } from '../contract/error.js';
import type { ListenAddress, ServiceSettings } from '../contract/settings.js';
import { isLoopback } from './guard-door.js';

const DEFAULT_ADDRESS: ListenAddress = { kind: 'tcp', host: '127.0.0.1', port: 0 };

/** @param typed `--listen`, or `null`. `USAGE`, `CONFIG_UNSAFE`. */
export const chooseAddress = (typed: ListenAddress | null, service: ServiceSettings): ListenAddress => {
  const address = typed ?? service.listen ?? DEFAULT_ADDRESS;
  if (address.kind === 'socket') return address;
  if (isLoopback(address.host)) return { ...address, host: address.host === 'localhost' ? '127.0.0.1' : address.host };
  if (typed !== null) {
    throw new ColdsealError(
      'USAGE',
      '--listen takes an address of this machine alone (127.0.0.1, [::1], or unix: and a path); only `coldseal.service.listen` in the machine file opens another',
    );
  }
  const missing = [
    ...(service.tls === null ? ['coldseal.service.tls'] : []),
    ...(service.tokenFile === null ? ['coldseal.service.token_file'] : []),
  ];
  if (missing.length === 0) return address;
  throw new ColdsealError(
    'CONFIG_UNSAFE',
    `coldseal.service.listen opens the service to others than this machine; that needs ${missing.join(' and ')} in the machine file too`,
  );
};
