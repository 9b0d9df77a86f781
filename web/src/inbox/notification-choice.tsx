import { useState } from 'react';
import { useServices } from '../app/services.js';
import { canNotify, isNotifying, turnOff, turnOn } from './notify.js';
import { canPush, stopPush } from './push.js';
import { PushChoice } from './push-choice.js';

/** Whether this browser notifies the person of new items. */
export function NotificationChoice() {
  const { client } = useServices();
  const [isOn, setOn] = useState(isNotifying);
  const [isRefused, setRefused] = useState(false);
  if (!canNotify()) return null;
  const choose = async (wanted: boolean) => {
    if (!wanted) {
      turnOff();
      // The API forgets it with the sign-in session at the latest.
      if (canPush()) await stopPush(client).catch(() => undefined);
    }
    const isNow = wanted && (await turnOn());
    setOn(isNow);
    setRefused(wanted && !isNow);
  };
  return (
    <fieldset className="card">
      <legend className="strong">Notifications</legend>
      <label>
        <input type="checkbox" checked={isOn} onChange={({ target }) => void choose(target.checked)} /> Notify
        me when something new is in my inbox
      </label>
      <p className="hint">
        For this browser, while a page of Berth is open. A notification has the title of the task, and nothing
        of what the agent says.
      </p>
      {isOn && canPush() && <PushChoice />}
      <div role="status">{isRefused && <p>The browser does not allow notifications of this site.</p>}</div>
    </fieldset>
  );
}
