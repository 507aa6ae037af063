/**
 * The page's own files. They hold no data and need no token: whoever loads them sees a form. Everything is read once at
 * the start and served from memory by exact name, so no path of a request ever reaches the file system.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { ColdsealError } from '../../contract/error.js';
import type { AddRoutes, ServiceServer } from '../route-group.js';

/** Nothing but files of this origin; no text ever becomes markup or script (trusted types), no frame, no form target. */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const PAGE_HEADERS = {
  'content-security-policy': CONTENT_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** A file's name holds the hash of what it is, so it may be kept for ever; the document names the files of this build. */
const KEPT = 'public, max-age=31536000, immutable';
const ASKED_AGAIN = 'no-cache';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** `INTERNAL` when the page was not built. */
export const addPageRoutes: AddRoutes = (server, { builtFolder }) => {
  const folder = join(builtFolder, 'page');
  serve(server, '/', readBuilt(join(folder, 'index.html')), 'text/html; charset=utf-8', ASKED_AGAIN);
  for (const name of namesIn(join(folder, 'assets'))) {
    const type = TYPES[extname(name)];
    if (type === undefined) throw new ColdsealError('INTERNAL', `the page’s file ${name} has no known type`);
    serve(server, `/assets/${name}`, readBuilt(join(folder, 'assets', name)), type, KEPT);
  }
};

const serve = (server: ServiceServer, url: string, body: Buffer, type: string, cache: string): void => {
  server.get(url, { config: { access: 'open' }, schema: { hide: true } }, (_request, reply) =>
    reply
      .headers({ ...PAGE_HEADERS, 'cache-control': cache })
      .type(type)
      .send(body),
  );
};

const notBuilt = (cause: unknown): ColdsealError =>
  new ColdsealError('INTERNAL', 'the page’s files are not there; build the program again (`npm run build`)', { cause });

const readBuilt = (file: string): Buffer => {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw notBuilt(cause);
  }
};

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder).sort();
  } catch (cause) {
    throw notBuilt(cause);
  }
};
