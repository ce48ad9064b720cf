import { declared } from '../../models/metrics/catalogue.js';
import type { Board } from './board.js';
import { carriersBoard } from './carriers.js';
import { othersBoard } from './others.js';
import { postgresqlBoard } from './postgresql.js';
import { serviceBoard } from './service.js';
import { temporalBoard } from './temporal.js';
import { webhooksBoard } from './webhooks.js';

const chosen: readonly Board[] = [serviceBoard, carriersBoard, webhooksBoard, temporalBoard, postgresqlBoard];

/** All boards of deploy/grafana/boards. */
export const boards: readonly Board[] = [...chosen, othersBoard(declared, chosen)];
