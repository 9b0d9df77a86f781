import { h } from './dom.js';

export interface Question {
  readonly title: string;
  readonly text: string;
  readonly action: string;
}

/** Asks before something is done that cannot be undone. Escape and Cancel mean no. */
export function confirmDialog({ title, text, action }: Question): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const dialog = h(
    'dialog',
    {
      'aria-labelledby': 'question',
      close: () => {
        resolve(dialog.returnValue === 'yes');
        dialog.remove();
      },
    },
    h('h2', { id: 'question' }, title),
    h('p', {}, text),
    h(
      'div',
      { class: 'buttons' },
      h('button', { type: 'button', click: () => dialog.close('no') }, 'Cancel'),
      h('button', { type: 'button', class: 'danger', click: () => dialog.close('yes') }, action),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  return promise;
}
