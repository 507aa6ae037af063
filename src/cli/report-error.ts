/** How a run that did not end well is said: in text, or as the one JSON document. */
import { CODES, isRefusal } from '../contract/codes.js';
import { ColdsealError } from '../contract/error.js';
import { VERSION } from '../contract/version.js';
import { machineFault } from './machine-fault.js';

export interface ErrorReport {
  readonly exit: number;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

/** An error that carries no code is a fault of ours: its message may quote input, so only its class and place are said. */
const internal = (fault: unknown): ColdsealError => {
  const words = machineFault(fault);
  if (words !== null) return new ColdsealError('INTERNAL', words, { cause: fault });
  const name = fault instanceof Error ? fault.name : typeof fault;
  const code = fault instanceof Error && 'code' in fault && typeof fault.code === 'string' ? ` ${fault.code}` : '';
  const place =
    fault instanceof Error ? (fault.stack?.split('\n').find((line) => /^\s+at /.test(line)) ?? '').trim() : '';
  return new ColdsealError(
    'INTERNAL',
    `${name}${code}${place === '' ? '' : ` ${place}`}; this is a fault of coldseal ${VERSION} on Node ${process.versions.node}: please report this line`,
    { cause: fault },
  );
};

export const reportError = (fault: unknown): ErrorReport => {
  const error = fault instanceof ColdsealError ? fault : internal(fault);
  const outcome = isRefusal(error.code) ? 'refused' : error.code === 'INTERNAL' ? 'failed' : 'provider_failed';
  const word = outcome === 'refused' ? 'refused' : outcome === 'failed' ? 'failed' : 'provider failed';
  return {
    exit: CODES[error.code].exit,
    text: `${word} (${error.code}): ${error.message}`,
    json: { outcome, code: error.code, message: error.message, ...error.facts },
  };
};
