/** Texts as people write them that are no word: none of them stops, starts or asks for help. A line each. */
const TEXTS = `
STOP 12345
stop 2
Stop it
stop it please
please stop
Please stop calling me
Can you stop?
Stop!!! now
stop now
don't stop
Don't stop sending these, I like them
Do not stop
non stop
Non-stop
nonstop
one stop shop
STOP SHOP
Full stop
bus stop
Meet me at the bus stop
The next stop is ours
I get off at the last stop
next stop?
Stop & Shop at nine
Stop by any time
I'll stop by later
stopped
It stopped working
stopping by at 5
stops
stopp
Stopp den Versand nicht
stoppt das
STOPP
sotp
stpo
st op
S T O P
s.t.o.p
STOP-ALL
stop all
Stop all of it
STOP STOP
Stop. Stop.
stop stop stop
stop, thanks
Thanks, stop
Stop means stop
STOP=1
stop?yes
0STOP
STOP0
1. STOP
stop#1
@stop me
What does STOP do?
Should I write STOP?
If I write STOP, what happens?
Reply STOP to stop
Text STOP to 12345
How do I stop this?
I want to stop
I'd like to unsubscribe
unsubscribe me
Unsubscribe from all
please unsubscribe
How do I unsubscribe?
unsubscribed
I unsubscribed yesterday
UNSUBSCRIBE 1
un subscribe
unsub
subscribe
end of the day
The end
End of month?
At the end of May
weekend
endless
ended
In the end we stayed
friend
END 5
quit it
I quit
I quit my job today
quite
Quite good, thank you
quitting time
Do not quit
Never quit
QUIT SMOKING
cancel my order
Cancel order 4711
Please cancel
please cancel the appointment
cancel tomorrow
Can I cancel?
I have to cancel, sorry
cancelled
Canceled
cancellation
cancel that
Do not cancel
Cancel it, I will come on Monday
CANCEL 88
revoke it
revoked
Please revoke my access
opt
OPT
opt in
opt-in
OPTIN
opt out please
opt me out
OPT OUT NOW
opt - out
opted out
optout2
How to opt out?
option 2
remove it
Remove me
remove me from your list
Please remove my number
removed
Remove 3 from the order
Do not remove the old one
arret de bus
arrete
Arrete ca
arrêt du bus
arrets
start now
Start at nine
When does it start?
I start on Monday
started
Let's start
restart
START 1
Did you start already?
unstop it
yes please
Yes, please.
Yes I will come
yes, at nine
Yes and no
yes or no
Yes!! See you
yess
yesterday
Yes sir
oh yes
YES 1
yep
yeah
y
no
No thanks
Nope
help me
Help me please
I need help
Can somebody help?
help!! where are you
no help needed
helpful
Thanks for your help
self-help
HELP 911
helpdesk
info please
More info
info@example.com
More info at example.com
information
INFO 7
No info yet
ok
OK, thanks
Okay 👍
Thank you!
👍
❤️
🛑
🛑 not today
😀 yes it is
...
?
!!!
1
42
482915
My code is 482915
12:30
On my way
Running late, 10 min
Is this still available?
Wer ist da?
Bitte nicht mehr
Hör auf
Aufhören bitte
halt
Halt mal
Ende gut, alles gut
Hilfe bitte
Ich komme um neun
Ja
Nein danke
Oui merci
Non merci
Désolé, je ne peux pas
¿Quién es?
Sí, a las nueve
Basta ya
Para por favor
停止してください
请停止发送
我会来的
لا ترسل
Перестаньте
Не стоп
Стоп-кран
Da, dolazim
Nie dziękuję
Evet
Lütfen durdurun
https://example.com/stop
Fwd: STOP
Re: stop
"stop" he said
stop\\start
`;

/** Two hundred and more of them. */
export const PLAIN_TEXTS: readonly string[] = TEXTS.trim().split('\n');
