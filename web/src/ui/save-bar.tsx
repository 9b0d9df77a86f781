interface SaveBarProps {
  readonly saving: { readonly isPending: boolean; readonly isSuccess: boolean };
}

/** The button of a form that stays open, and that its last values are stored. */
export const SaveBar = ({ saving: { isPending, isSuccess } }: SaveBarProps) => (
  <div className="bar">
    <button type="submit" className="primary" disabled={isPending}>
      Save
    </button>
    <span role="status">{isSuccess && 'Saved.'}</span>
  </div>
);
