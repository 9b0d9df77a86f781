import { Forbidden } from '../shared/errors.js';
import type { HttpRequest } from './http-request.js';

const safeMethods = ['GET', 'HEAD'];
const ownSites = [undefined, 'same-origin', 'none'];

/**
 * Refuses what another site's page makes a browser send. SameSite=Lax stops most of it already; this also stops a
 * page on a sibling sub-domain. A client that is no browser sends neither header and cannot be led astray so.
 *
 * @throws {Forbidden}
 */
export function requireSameOrigin(request: HttpRequest, method: string, publicUrl: string): void {
  if (safeMethods.includes(method)) return;
  const origin = request.header('origin');
  const fromHere =
    origin === undefined
      ? ownSites.includes(request.header('sec-fetch-site'))
      : origin === new URL(publicUrl).origin;
  if (!fromHere) throw new Forbidden('The request comes from another origin');
}
