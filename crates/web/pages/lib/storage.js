// @ts-check
// What a browser remembers for a page. Storage may be forbidden; then the page forgets, and no more.

/** @param {string} key @param {Storage} [storage] */
export function loadItem(key, storage) {
  try {
    return (storage ?? localStorage).getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string} value @param {Storage} [storage] */
export function saveItem(key, value, storage) {
  try {
    (storage ?? localStorage).setItem(key, value);
  } catch {
    // Nothing depends on it.
  }
}
