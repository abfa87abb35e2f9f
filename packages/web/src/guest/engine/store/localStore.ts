import { keepPins, loadPins } from '../../../common/storage/pinStore.ts'
import { createMemoryStore, type GuestStore } from './guestStore.ts'

/**
 * Of a page that `blindkeep pages open` shows: nothing is stored in the browser, and the program remembers the keys of
 * the server. While it does not, no receipt counts as checked.
 */
export function createLocalStore(): GuestStore {
  return { ...createMemoryStore(), pins: loadPins, putPins: keepPins }
}
