import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { Log } from '../shared/log.js';
import { addNodeRoutes } from './node-routes.js';
import { Router } from './router.js';
import { Upgrades } from './upgrades.js';

it('ends every reported session, and answers 500 when the end of one cannot be stored', async () => {
  const ended: string[] = [];
  const app = Fastify();
  const ends = {
    end: (hash: string) => {
      ended.push(hash);
      if (hash.startsWith('a')) throw new Error('disk is full');
    },
  };
  const upgrades = new Upgrades(new Log({ level: 'error', format: 'json' }, () => undefined));
  const workspaces = { find: () => null, running: () => expect.unreachable() };
  const refuse = () => expect.unreachable();
  const tokens = {
    node: async () => ({ iss: '', iat: 0, exp: 0, aud: 'node-management' as const, sub: '', node: '' }),
    management: refuse,
    workspace: refuse,
    transfer: refuse,
    terminal: refuse,
  };
  const sessionSockets = { add: refuse };
  const router = new Router({ app, upgrades, tokens, workspaces, sessionSockets });
  addNodeRoutes(router, ends);
  const sessions = ['a', 'b', 'c'].map((letter) => letter.repeat(43));

  const answer = await app.inject({ method: 'POST', url: '/sessions/ended', payload: { sessions } });

  expect(ended).toEqual(sessions);
  expect(answer.statusCode).toBe(500);
});
