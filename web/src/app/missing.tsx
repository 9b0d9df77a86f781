import { useTitle } from './title.js';

export function Missing() {
  useTitle('Not found');
  return (
    <section className="card">
      <h1>Page not found</h1>
      <a href="/">Tasks</a>
    </section>
  );
}
