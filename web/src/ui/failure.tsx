import { ApiError } from '../../../client/api-error.js';
import { messageOf } from '../api-error.js';

/** Why something is not there, with a way to try again where that can help. */
export function Failure({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  if (error instanceof ApiError && error.status === 403)
    return (
      <p className="notice warn" role="alert">
        You may not see this. {messageOf(error)}
      </p>
    );
  return (
    <div className="notice bad" role="alert">
      <p>{messageOf(error)}</p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
