import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { addSessionRoutes } from './session-routes.js';

it('ends every session that it is told of, and says so when one could not be written down', async () => {
  const ended: string[] = [];
  const app = Fastify();
  const tokens = {
    node: async () => ({ iss: '', iat: 0, exp: 0, aud: 'node-management' as const, sub: '', node: '' }),
  };
  addSessionRoutes(app, tokens, {
    end: (hash) => {
      ended.push(hash);
      if (hash.startsWith('a')) throw new Error('disk is full');
    },
  });
  const sessions = ['a', 'b', 'c'].map((letter) => letter.repeat(43));

  const answer = await app.inject({ method: 'POST', url: '/sessions/ended', payload: { sessions } });

  expect(ended).toEqual(sessions);
  expect(answer.statusCode).toBe(500);
});
