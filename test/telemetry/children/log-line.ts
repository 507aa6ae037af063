/** A child that logs one line to wherever the logger writes by default. */
import { createLogger } from '../../../src/telemetry/logger.js';

createLogger({ level: 'info' }).info('here');
