/** The environment for those that sit above the app: config stays the one reader of it. */
export { readEnvironment } from '../config/environment.js';
