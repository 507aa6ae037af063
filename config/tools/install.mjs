// Installs exactly what the lock file names, when node_modules does not hold it yet. The stamp is the lock file's digest,
// so a clone that is up to date needs no network.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, run } from './run-program.mjs';

const stampFile = join(root, 'node_modules', '.coldseal-installed');

/** Where Node's own headers stand beside it, re2 is compiled with those instead of a download. */
const headersBesideNode = () => {
  const prefix = dirname(dirname(process.execPath));
  return existsSync(join(prefix, 'include', 'node', 'node_version.h')) ? { npm_config_nodedir: prefix } : {};
};

/** True when something was installed. */
export const installWhatIsMissing = () => {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const stamp = `${process.version} ${createHash('sha256').update(lock).digest('hex')}`;
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return false;
  console.log(
    'installing what package-lock.json names (re2 is compiled where no prebuilt file is to be had: a minute or two)',
  );
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    env: { ...headersBesideNode(), ...process.env },
  });
  writeFileSync(stampFile, stamp);
  return true;
};
