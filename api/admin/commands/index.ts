import type { Command } from '../command.js';
import { createWorkspaceCommand } from './create-workspace.js';
import { creditCommand } from './credit.js';
import { resumeCommand } from './resume.js';
import { suspendCommand } from './suspend.js';
import { unsuppressCommand } from './unsuppress.js';

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [createWorkspaceCommand, creditCommand, suspendCommand, resumeCommand, unsuppressCommand];
