import type { Command } from '../command.js';
import { auditCommand } from './service/audit.js';
import { closeWorkspaceCommand } from './workspaces/close-workspace.js';
import { completionCommand } from './service/completion.js';
import { createWorkspaceCommand } from './workspaces/create-workspace.js';
import { creditCommand } from './workspaces/credit.js';
import { endSessionsCommand } from './workspaces/end-sessions.js';
import { doctorCommand } from './service/doctor.js';
import { findKeyCommand } from './keys/find-key.js';
import { findWorkspaceCommand } from './workspaces/find-workspace.js';
import { ledgerCommand } from './workspaces/ledger.js';
import { messageCommand } from './messages/message.js';
import { messagesCommand } from './messages/messages.js';
import { migrateCommand } from './service/migrate.js';
import { recoverCommand } from './service/recover.js';
import { reencryptCommand } from './service/reencrypt.js';
import { removeTotpCommand } from './workspaces/remove-totp.js';
import { replayReportsCommand } from './messages/replay-reports.js';
import { resumeCommand } from './workspaces/resume.js';
import { revokeKeyCommand } from './keys/revoke-key.js';
import { routesCommand } from './service/routes.js';
import { stuckCommand } from './messages/stuck.js';
import { suspendCommand } from './workspaces/suspend.js';
import { takeCreditsCommand } from './workspaces/take-credits.js';
import { unsuppressCommand } from './messages/unsuppress.js';

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
