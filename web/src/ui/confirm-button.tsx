import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useId, useRef } from 'react';
import { messageOf } from '../api-error.js';

interface ConfirmButtonProps {
  readonly label: string;
  /** Where several buttons have the same label: what this one is for. */
  readonly about?: string;
  readonly title: string;
  /** What follows from it. */
  readonly children: ReactNode;
  readonly run: () => Promise<unknown>;
  readonly disabled?: boolean;
  readonly className?: string;
}

/** Asks before something is done that cannot be undone. Escape and Cancel mean no. */
export function ConfirmButton({ label, about, title, children, run, ...button }: ConfirmButtonProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const acting = useMutation({ mutationFn: run, onSuccess: () => dialog.current?.close() });
  return (
    <>
      <button
        type="button"
        className={button.className ?? 'danger small'}
        disabled={button.disabled}
        aria-label={about && `${label} ${about}`}
        onClick={() => {
          acting.reset();
          dialog.current?.showModal();
        }}
      >
        {label}
      </button>
      <dialog ref={dialog} aria-labelledby={id}>
        <h2 id={id}>{title}</h2>
        <p>{children}</p>
        <div role="alert">{acting.isError && <p className="notice bad">{messageOf(acting.error)}</p>}</div>
        <div className="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button
            type="button"
            className="danger"
            disabled={acting.isPending}
            onClick={() => acting.mutate()}
          >
            {label}
          </button>
        </div>
      </dialog>
    </>
  );
}
