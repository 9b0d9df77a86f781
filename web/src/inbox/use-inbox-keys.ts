import { useEffect } from 'react';
import { useServices } from '../app/services.js';
import { isPlainKey } from './plain-key.js';

/** `g` and then `i` goes to the inbox from every page. */
export function useInboxKeys(): void {
  const { surroundings } = useServices();
  useEffect(() => {
    const sequence = new TwoKeys();
    const pressed = (event: KeyboardEvent) => {
      if (isPlainKey(event) && sequence.isWhole(event)) surroundings.goTo('/inbox');
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [surroundings]);
}

const togetherMs = 1_500;

class TwoKeys {
  private begunAt = Number.NEGATIVE_INFINITY;

  isWhole({ key, timeStamp }: KeyboardEvent): boolean {
    const isWhole = key === 'i' && timeStamp - this.begunAt <= togetherMs;
    this.begunAt = key === 'g' ? timeStamp : Number.NEGATIVE_INFINITY;
    return isWhole;
  }
}
