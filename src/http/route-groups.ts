/** Every group of routes of the service, in the order of its OpenAPI document. A new group is one line here. */
import type { AddRoutes } from './route-group.js';
import { addDispatchRoutes } from './routes/dispatch-routes.js';
import { addGateRoutes } from './routes/gate-routes.js';
import { addHealthRoutes } from './routes/health-routes.js';
import { addKindRoutes } from './routes/kind-routes.js';
import { addMetricsRoutes } from './routes/metrics-routes.js';
import { addPageRoutes } from './routes/page-routes.js';
import { addPlanRoutes } from './routes/plan-routes.js';
import { addRecordRoutes } from './routes/record-routes.js';
import { addRepositoryRoutes } from './routes/repository-routes.js';
import { addScanRoutes } from './routes/scan-routes.js';

export const ROUTE_GROUPS: readonly AddRoutes[] = [
  addPlanRoutes,
  addDispatchRoutes,
  addScanRoutes,
  addGateRoutes,
  addRecordRoutes,
  addKindRoutes,
  addRepositoryRoutes,
  addHealthRoutes,
  addMetricsRoutes,
  addPageRoutes,
];
