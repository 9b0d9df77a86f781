import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { identify } from './process-identity.mjs';

/**
 * Makes a file that names this process, or returns false where a file is. A link appears with its
 * content, and only where no file is.
 */
export function takeFile(file) {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, JSON.stringify(identify(process.pid)));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}
