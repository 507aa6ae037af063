/** The key that signs jobs on every machine of the owner's, by the credential's name in the machine file. */
import { resolveCredential } from '../../config/resolve-credential.js';
import { ColdsealError } from '../../contract/error.js';
import { printable } from '../../contract/printable.js';
import type { Settings } from '../../contract/settings.js';
import type { Surroundings } from '../surroundings.js';
import type { JobKey } from './sign-job.js';

const LEAST_KEY_BYTES = 32;

/** `CREDENTIAL_MISSING` where no key is named, it has no value here, or it is too short to keep a job from being forged. */
export const resolveJobKey = async (
  { environment, uid }: Pick<Surroundings, 'environment' | 'uid'>,
  settings: Settings,
): Promise<JobKey> => {
  const { key } = settings.own.queue;
  if (key === null) {
    throw new ColdsealError(
      'CREDENTIAL_MISSING',
      `no key signs jobs: name a credential at coldseal.queue.key in ${printable(settings.machineFile)}, the same value on every machine`,
    );
  }
  const { value } = await resolveCredential(key, { settings, environment, uid });
  const bytes = Buffer.from(value, 'utf8');
  if (bytes.length >= LEAST_KEY_BYTES) return bytes;
  throw new ColdsealError(
    'CREDENTIAL_MISSING',
    `the credential "${key}" has ${bytes.length} bytes; a key that signs jobs has at least ${LEAST_KEY_BYTES} (\`openssl rand -hex 32\` makes one)`,
    { facts: { credential: key, bytes: bytes.length, least_bytes: LEAST_KEY_BYTES } },
  );
};

/** Of Redis; `null` where none is named. `CREDENTIAL_MISSING`. */
export const resolveQueuePassword = async (
  { environment, uid }: Pick<Surroundings, 'environment' | 'uid'>,
  settings: Settings,
): Promise<string | null> => {
  const { password } = settings.own.queue;
  return password === null ? null : (await resolveCredential(password, { settings, environment, uid })).value;
};
