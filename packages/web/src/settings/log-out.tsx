import { useMutation } from '@tanstack/react-query';
import { forgetWriting } from '../app/kept.js';
import { client } from '../data/client.js';
import { Button } from '../ui/button.js';
import { toast } from '../ui/toast.js';

/** Ends the login of this browser, and takes with it what was written here and not sent. */
export function LogOut() {
  const leave = useMutation({
    mutationFn: () => client.logout(),
    onSuccess: () => {
      forgetWriting();
      location.assign('/');
    },
    onError: toast.problem,
  });
  return (
    <Button disabled={leave.isPending} onClick={() => leave.mutate()}>
      Log out
    </Button>
  );
}
