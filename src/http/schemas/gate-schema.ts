/** The gate's answers for the document: a body that the provider wrote goes through as it is, so its shape is not ours. */
import { z } from 'zod';

const errorBody = z.looseObject({ error: z.looseObject({ message: z.string() }) });

const refused = (description: string) => ({ description, content: { 'application/json': { schema: errorBody } } });

/** Refusals have the shape that the client's library understands; `error.code` is ours. */
export const GATE_ANSWERS = {
  200: {
    description: 'What the provider answered.',
    content: {
      'application/json': { schema: z.unknown() },
      'text/event-stream': { schema: z.unknown() },
    },
  },
  400: refused('The request is not what the format takes.'),
  401: refused('The token is missing or wrong.'),
  403: refused('A page of another origin.'),
  404: refused('No provider of the gate by that name.'),
  409: refused('What was consented to is not what is, or the request was cancelled.'),
  413: refused('Over the cap.'),
  421: refused('A Host that is not this service’s.'),
  422: refused('A rule refused.'),
  429: refused('More at once than the service allows.'),
  500: refused('A fault of the service.'),
  502: refused('The provider failed.'),
} as const;
