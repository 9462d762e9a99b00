// @ts-check
// Browser storage. Errors are ignored, because storage may be disabled.

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
    // Storage is optional.
  }
}
