import { expect, it } from 'vitest';
import { forNode, withoutHopByHop } from './front-headers.js';

it('keeps the cookies of the platform from a node, and passes those of the workspace on', () => {
  const headers = { cookie: '__Host-berth_session=secret; theme=dark; __Host-berth_oauth=x', accept: '*/*' };

  expect(forNode(headers)).toEqual({ cookie: 'theme=dark', accept: '*/*' });
});

it('leaves no empty cookie header', () => {
  expect(forNode({ cookie: '__Host-berth_session=secret' })).toEqual({});
  expect(forNode({})).toEqual({});
});

it('passes on no header of one connection', () => {
  const headers = { host: 'a', connection: 'upgrade', upgrade: 'websocket', te: 'trailers', accept: '*/*' };

  expect(withoutHopByHop(headers)).toEqual({ accept: '*/*' });
});
