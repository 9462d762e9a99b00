// @ts-check
// The lab: selects the view of an address.

import { byId } from '../lib/dom.js';
import { header } from '../lib/header.js';

header('/lab');
const main = byId('main');
const [, view, ...rest] = location.pathname.split('/').filter(Boolean).map(decodeURIComponent);
const id = rest.join('/');

if (view === 'runs' && id) import('./run.js').then(({ showRun }) => showRun(main, id));
else if (view === 'tournaments' && id) import('./tournament.js').then(({ showTournament }) => showTournament(main, id));
else if (view === 'experiments' && id) import('./experiment.js').then(({ showExperiment }) => showExperiment(main, id));
else if (view === 'queue') import('./queue.js').then(({ showQueue }) => showQueue(main));
else if (view === 'reproduction' && id) import('./report.js').then(({ showReport }) => showReport(main, id));
else if (view === 'reproduction') import('./reproduction.js').then(({ showReproduction }) => showReproduction(main));
else import('./overview.js').then(({ showOverview }) => showOverview(main));
