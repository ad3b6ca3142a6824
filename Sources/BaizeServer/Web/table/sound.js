/** The sound at the beginning of one's turn. It is off until it is wished. */

import { readSetting, storeSetting } from './address.js';

const KEY = 'baize sound';
const TONES = [660, 880];
const TONE_SECONDS = 0.14;
const LOUDNESS = 0.12;

let context;

export const isSoundOn = () => readSetting(KEY) === 'on';

export function setSound(isOn) {
  storeSetting(KEY, isOn ? 'on' : 'off');
  if (isOn) chime();
}

/** Sounds, if that is wished and the browser lets the page. */
export function chime() {
  // Before the person has touched the page, browsers let nothing sound.
  if (!isSoundOn() || typeof AudioContext !== 'function' || navigator.userActivation?.hasBeenActive === false) return;
  context ??= new AudioContext();
  if (context.state === 'suspended') context.resume();
  for (const [index, frequency] of TONES.entries()) {
    const [start, oscillator, gain] = [context.currentTime + index * TONE_SECONDS, context.createOscillator(), context.createGain()];
    oscillator.frequency.value = frequency;
    gain.gain.setValueAtTime(LOUDNESS, start);
    gain.gain.exponentialRampToValueAtTime(0.001, start + TONE_SECONDS);
    oscillator.connect(gain).connect(context.destination);
    oscillator.start(start);
    oscillator.stop(start + TONE_SECONDS);
  }
}
