const labels: Readonly<Record<number, string>> = {
  80: 'HTTP',
  443: 'HTTPS',
  3000: 'Dev Server',
  3001: 'Dev Server',
  4000: 'Dev Server',
  4200: 'Angular',
  5000: 'Flask',
  5173: 'Vite',
  5174: 'Vite',
  5432: 'PostgreSQL',
  6379: 'Redis',
  8000: 'Django',
  8001: 'Dev Server',
  8080: 'HTTP Alt',
  8081: 'HTTP Alt',
  8888: 'Jupyter',
  9000: 'Dev Server',
  27017: 'MongoDB',
};

/** What people most likely run on a port. */
export function portLabel(port: number): string {
  return labels[port] ?? `Port ${port}`;
}
