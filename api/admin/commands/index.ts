import type { Command } from '../command.js';
import { auditCommand } from './audit.js';
import { closeWorkspaceCommand } from './close-workspace.js';
import { completionCommand } from './completion.js';
import { createWorkspaceCommand } from './create-workspace.js';
import { creditCommand } from './credit.js';
import { endSessionsCommand } from './end-sessions.js';
import { doctorCommand } from './doctor.js';
import { findKeyCommand } from './find-key.js';
import { findWorkspaceCommand } from './find-workspace.js';
import { ledgerCommand } from './ledger.js';
import { messageCommand } from './message.js';
import { messagesCommand } from './messages.js';
import { migrateCommand } from './migrate.js';
import { recoverCommand } from './recover.js';
import { reencryptCommand } from './reencrypt.js';
import { removeTotpCommand } from './remove-totp.js';
import { replayReportsCommand } from './replay-reports.js';
import { resumeCommand } from './resume.js';
import { revokeKeyCommand } from './revoke-key.js';
import { routesCommand } from './routes.js';
import { stuckCommand } from './stuck.js';
import { suspendCommand } from './suspend.js';
import { takeCreditsCommand } from './take-credits.js';
import { unsuppressCommand } from './unsuppress.js';

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [
  doctorCommand,
  stuckCommand,
  messageCommand,
  messagesCommand,
  routesCommand,
  auditCommand,
  findWorkspaceCommand,
  createWorkspaceCommand,
  ledgerCommand,
  creditCommand,
  takeCreditsCommand,
  endSessionsCommand,
  removeTotpCommand,
  closeWorkspaceCommand,
  suspendCommand,
  resumeCommand,
  findKeyCommand,
  revokeKeyCommand,
  unsuppressCommand,
  replayReportsCommand,
  reencryptCommand,
  migrateCommand,
  recoverCommand,
  completionCommand(() => commands),
];
