// @ts-check
// The page for addresses without one: only the header is drawn.

import { header } from './lib/header.js';

header();
