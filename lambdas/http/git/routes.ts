import type { Route } from '../../route-row.js';
import { fileRoute } from '../files/routes.js';

export const routes: readonly Route[] = [fileRoute('GET', 'git/status'), fileRoute('GET', 'git/diff')];
