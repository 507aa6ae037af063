/**
 * `coldseal.queue`: where the queue is, who may speak in it, and what a job that is run here may name. A job comes from
 * another machine, so folders and clone URLs are this owner's own lists and never the job's word.
 */
import { list, object, record } from './container-shape.js';
import { CREDENTIAL_NAMES, PROVIDER_NAMES } from './oracle-schema.js';
import { path } from './path-shape.js';
import { text, wholeNumber } from './shape.js';
import { size } from './size-shape.js';

const credential = text(CREDENTIAL_NAMES);

const LARGEST_CLONES_BYTES = 16 * 1024 ** 4;

const laneLimits = {
  concurrency: wholeNumber({ least: 1, most: 1024, unit: 'jobs' }),
  rate: wholeNumber({ least: 1, most: 1_000_000, unit: 'jobs a minute' }),
};

const cloneUrl = text({
  due: 'an https://, ssh:// or file:/// URL without credentials',
  pattern: /^(?:https:\/\/|ssh:\/\/(?:[a-z0-9._-]+@)?|file:\/\/\/)[A-Za-z0-9][!"$->A-[\]-~]*$/,
  mostBytes: 2048,
});

export const queue = object({
  optional: {
    url: text({ due: 'a redis:// or rediss:// URL', pattern: /^rediss?:\/\/\S+$/ }),
    password: credential,
    key: credential,
    lease: wholeNumber({ least: 2, most: 3600, unit: 'seconds' }),
    ...laneLimits,
    providers: record(PROVIDER_NAMES, object({ optional: laneLimits, unknown: 'refuse' })),
    repositories: list(path, { most: 1024, unique: true }),
    clones: list(cloneUrl, { most: 4096, unique: true }),
    clones_dir: path,
    clones_cap: size(1, LARGEST_CLONES_BYTES),
  },
  unknown: 'refuse',
});
