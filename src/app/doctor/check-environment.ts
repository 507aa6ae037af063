/** What of the environment changes a run: proxies and Node's own variables. Values that may hold a secret are not shown. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Environment } from '../../config/environment.js';
import { ColdsealError } from '../../contract/error.js';
import { printable } from '../../contract/printable.js';
import { proxyFor, proxySettings } from '../../dispatch/proxy.js';
import { type Check, fail, ok, warn } from './check.js';

export const checkProxy = (environment: Environment): Check => {
  const settings = proxySettings(environment);
  if (settings.httpsProxy === null) return ok('proxy', 'none');
  const remote = { baseUrl: 'https://proxy-check.invalid/v1', host: 'proxy-check.invalid', port: 443, remote: true };
  try {
    const proxy = proxyFor(remote, { ...settings, noProxy: null });
    const except = settings.noProxy === null ? '' : `, but for ${printable(settings.noProxy)}`;
    return ok('proxy', `remote calls go through ${proxy?.shown ?? 'none'}${except}`);
  } catch (error) {
    if (!(error instanceof ColdsealError)) throw error;
    return fail('proxy', error.message, 'Correct HTTPS_PROXY, or unset it.');
  }
};

/** Variables of Node's that reach into this program. */
const CHANGES_NODE = ['NODE_OPTIONS', 'NODE_PATH', 'NODE_DEBUG', 'NODE_V8_COVERAGE'] as const;

export const checkNodeVariables = async (environment: Environment): Promise<readonly Check[]> => {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  const set = CHANGES_NODE.filter(isSet);
  const checks: Check[] = [
    set.length === 0
      ? ok('NODE_*', 'none that changes how this runs')
      : warn(
          'NODE_*',
          `${set.join(', ')} set`,
          'They load code into this program or make it talk; unset them for sends.',
        ),
  ];
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    const found = 'NODE_TLS_REJECT_UNAUTHORIZED is 0: certificate checks are off';
    checks.push(fail('NODE_*', found, 'Unset it and name the provider’s ca_file; every run is refused until then.'));
  }
  const extra = environment['NODE_EXTRA_CA_CERTS'] ?? '';
  if (extra !== '') {
    const isThere = await access(extra, constants.R_OK).then(
      () => true,
      () => false,
    );
    const found = `NODE_EXTRA_CA_CERTS is ${printable(extra)}`;
    checks.push(
      isThere
        ? ok('extra roots', found)
        : warn('extra roots', `${found}, which cannot be read`, 'Correct or unset it.'),
    );
  }
  return checks;
};
