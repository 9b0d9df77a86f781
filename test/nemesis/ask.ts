import type { Person } from '../support/person.js';

/** The body of the answer. @throws when the request is refused */
export async function ask(person: Person, path: string, body: object) {
  const answer = await person.post(path, body);
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return answer.body;
}
