import type { Board } from './board.js';
import { carriersBoard } from './carriers.js';
import { postgresqlBoard } from './postgresql.js';
import { serviceBoard } from './service.js';
import { temporalBoard } from './temporal.js';
import { webhooksBoard } from './webhooks.js';

/** All boards of deploy/grafana/boards. */
export const boards: readonly Board[] = [serviceBoard, carriersBoard, webhooksBoard, temporalBoard, postgresqlBoard];
