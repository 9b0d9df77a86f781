import { messageOf } from '../api-error.js';
import { h, replace } from '../dom.js';

/** Shows that something is on its way, then it, or why it is not there with a way to try again. */
export function load<T>(place: Element, fetchIt: () => Promise<T>, show: (it: T) => void): void {
  replace(place, h('p', { class: 'loading', role: 'status' }, 'Loading …'));
  fetchIt()
    .then(show)
    .catch((error: unknown) => {
      const again = () => load(place, fetchIt, show);
      replace(
        place,
        h(
          'div',
          { class: 'notice bad', role: 'alert' },
          h('p', {}, messageOf(error)),
          h('button', { type: 'button', click: again }, 'Try again'),
        ),
      );
    });
}
