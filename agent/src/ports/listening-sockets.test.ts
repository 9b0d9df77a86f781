import { expect, it } from 'vitest';
import { parseTcpTable } from './listening-sockets.js';

const head =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const row = (local: string, state: string, inode: number) =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 000000007eac7f81 100 0 0 10 0\n`;

it('reads addresses in host byte order, and ports', () => {
  const table = head + row('0100007F:24CA', '0A', 859205) + row('00000000:0050', '0A', 7);

  expect(parseTcpTable(table)).toEqual([
    { address: '127.0.0.1', port: 9418, inode: '859205' },
    { address: '0.0.0.0', port: 80, inode: '7' },
  ]);
});

it('leaves out sockets that do not listen', () => {
  expect(parseTcpTable(head + row('0100007F:24CA', '01', 1) + row('0100007F:24CA', '06', 0))).toEqual([]);
});

it('reads IPv6 and IPv4-mapped IPv6 addresses', () => {
  const table =
    head +
    row('00000000000000000000000000000000:0BB8', '0A', 1) +
    row('00000000000000000000000001000000:0BB9', '0A', 2) +
    row('0000000000000000FFFF00000100007F:0BBA', '0A', 3) +
    row('B80D01200000000067452301EFCDAB89:0BBB', '0A', 4);

  expect(parseTcpTable(table).map(({ address, port }) => [address, port])).toEqual([
    ['::', 3000],
    ['::1', 3001],
    ['127.0.0.1', 3002],
    ['2001:db8::123:4567:89ab:cdef', 3003],
  ]);
});

it('reads an empty or truncated table as no sockets', () => {
  expect(parseTcpTable('')).toEqual([]);
  expect(parseTcpTable(`${head}   1: 0100007F`)).toEqual([]);
});
